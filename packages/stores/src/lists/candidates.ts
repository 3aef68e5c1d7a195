/** Which rows may match a filter, according to the index. */

import { type Mark, marksOfText } from './id-marks.ts';
import type { ListFilter } from './list-filter.ts';
import type { BlockLook, ListSource, Posting } from './list-tables.ts';
import { BLOCK_ROWS, blockOf, placeOf, RowSet } from './row-set.ts';
import { termGroups, textGroups } from './terms.ts';

/** In blocks: 131,072 rows. */
const WINDOW = 64;
/** For a text so short that many or most blocks may have it in an id. */
const SMALL_WINDOW = 8;
const TELLING_MARKS = 2;
/** The limit on blocks whose ids are read one by one, because the marks of the block do not exclude them. */
const MOST_BLOCKS_READ = 8;

type Postings = Map<string, RowSet>;

export class Candidates {
  private readonly groups: string[][];
  private readonly text: string | undefined;
  /** The terms of the text in fields other than the id. Undefined: any row may contain it. */
  private readonly texts: string[][] | undefined;
  /** The marks of the text in the id. Undefined: no id contains it. */
  private readonly marks: Mark[] | undefined;
  private blocksRead = 0;

  constructor(
    private readonly source: ListSource,
    private readonly filter: ListFilter,
    /** Rows that the index does not cover. */
    private readonly changed: readonly number[],
  ) {
    this.groups = termGroups(filter);
    this.text = filter.q?.toLowerCase();
    this.texts = this.text === undefined ? undefined : textGroups(this.text);
    this.marks = this.text === undefined ? undefined : marksOfText(this.text);
  }

  /** True: it has read so much that the caller should answer. */
  get isTired(): boolean {
    return this.blocksRead >= MOST_BLOCKS_READ;
  }

  /** How many blocks to ask for at once. */
  get window(): number {
    return this.marks !== undefined && this.marks.length < TELLING_MARKS ? SMALL_WINDOW : WINDOW;
  }

  /** From one number to another, inclusive; sorted. */
  async between(from: number, to: number): Promise<number[]> {
    const bytes = this.marks?.map(({ byte }) => byte) ?? [];
    const all = await this.source.looks(blockOf(from), blockOf(to), bytes);
    const looks = all.filter((look) => mayHoldTimes(look, this.filter));
    const postings = await this.postings(looks.map(({ block }) => block));
    const numbers = new Set(this.changed.filter((no) => no >= from && no <= to));
    for (const look of looks) {
      const rows = await this.inBlock(look, postings.get(look.block) ?? NONE);
      for (const place of rows.places()) {
        const no = look.block * BLOCK_ROWS + place;
        if (no >= from && no <= to) numbers.add(no);
      }
    }
    return [...numbers].sort((a, b) => a - b);
  }

  private async postings(blocks: readonly number[]): Promise<Map<number, Postings>> {
    const terms = [...new Set([...this.groups, ...(this.texts ?? [])].flat())];
    const isIdle = terms.length === 0 || blocks.length === 0;
    return byBlock(isIdle ? [] : await this.source.postings(terms, blocks));
  }

  private async inBlock(look: BlockLook, postings: Postings): Promise<RowSet> {
    const rows = underAll(this.groups, postings);
    if (this.text !== undefined && !rows.isEmpty) rows.and(await this.withText(look, postings));
    return rows;
  }

  private async withText(look: BlockLook, postings: Postings): Promise<RowSet> {
    if (this.texts === undefined) return RowSet.all();
    const rows = underAll(this.texts, postings);
    if (!this.mayHoldId(look)) return rows;
    this.blocksRead += 1;
    const from = look.block * BLOCK_ROWS;
    for (const no of await this.source.idsWith(this.text!, from, from + BLOCK_ROWS - 1))
      rows.add(placeOf(no));
    return rows;
  }

  private mayHoldId({ bytes }: BlockLook): boolean {
    return this.marks?.every(({ bit }, index) => (bytes[index]! & bit) !== 0) ?? false;
  }
}

const NONE: Postings = new Map();

function byBlock(postings: readonly Posting[]): Map<number, Postings> {
  const blocks = new Map<number, Postings>();
  for (const { term, block, rows } of postings) {
    const terms = blocks.get(block) ?? new Map();
    blocks.set(block, terms);
    terms.set(term, RowSet.decode(rows));
  }
  return blocks;
}

function underAll(groups: readonly string[][], postings: Postings): RowSet {
  const rows = RowSet.all();
  for (const group of groups) {
    const under = RowSet.empty();
    for (const term of group) {
      const set = postings.get(term);
      if (set) under.or(set);
    }
    rows.and(under);
  }
  return rows;
}

function mayHoldTimes(look: BlockLook, { since, until, ended_since, ended_until }: ListFilter): boolean {
  return (
    mayBeWithin(look.started_from, look.started_to, since, until) &&
    mayBeWithin(look.ended_from, look.ended_to, ended_since, ended_until)
  );
}

function mayBeWithin(
  first: number | null,
  last: number | null,
  from: number | undefined,
  to: number | undefined,
): boolean {
  if (from === undefined && to === undefined) return true;
  if (first === null || last === null) return false;
  return (from === undefined || last >= from) && (to === undefined || first < to);
}
