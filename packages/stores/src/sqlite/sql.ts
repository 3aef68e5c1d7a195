/** A connection with its prepared statements, which stay referenced as long as it lives. */
import { StoreError } from '../store.ts';
import { type Database, openDatabase, type Statement, type Value } from './database.ts';

export class Sql {
  private readonly db: Database;
  private readonly statements = new Map<string, Statement>();

  constructor(path: string, options: { readOnly?: boolean; timeout?: number }) {
    this.db = openDatabase(path, options);
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  run(sql: string, ...values: Value[]): void {
    try {
      this.statement(sql).run(...values);
    } catch (error) {
      throw explained(error);
    }
  }

  all<T>(sql: string, ...values: Value[]): T[] {
    return this.statement(sql).all(...values) as T[];
  }

  /** All or nothing; `work` must be synchronous. */
  transaction<T>(work: () => T): T {
    this.run('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  rollBack(): void {
    try {
      this.run('ROLLBACK');
    } catch {
      // SQLite rolls back by itself on a full disk; then there is nothing left to undo.
    }
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }

  private statement(sql: string): Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

function explained(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  if (/disk is full|SQLITE_FULL|disk I\/O error/i.test(error.message)) {
    const message = `the disk of the data directory is full or failing (${error.message}). Free some space, then use: woof resume RUN`;
    return new StoreError('disk_full', message, { cause: error });
  }
  if (/database is locked/.test(error.message)) {
    const message =
      'other processes have kept the data directory locked for too long; is one of them suspended in the middle of a write? End it, then use: woof resume RUN';
    return new StoreError('busy', message, { cause: error });
  }
  return error;
}
