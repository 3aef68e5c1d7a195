/** A connection with its prepared statements. They stay referenced as long as it lives. */
import { type Database, openDatabase, type Statement } from './database.ts';

type Value = string | number | null;

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
    this.statement(sql).run(...values);
  }

  all<T>(sql: string, ...values: Value[]): T[] {
    return this.statement(sql).all(...values) as T[];
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
