/** The most recent entries, up to a number of characters. The newest entry is kept whatever its size. */
export class RecentTexts<T> {
  private readonly entries = new Map<string, T>();
  private size = 0;

  constructor(
    private readonly mostCharacters: number,
    private readonly sizeOf: (key: string, value: T) => number,
  ) {}

  get(key: string): T | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: T): void {
    const before = this.entries.get(key);
    if (before !== undefined) this.size -= this.sizeOf(key, before);
    this.entries.set(key, value);
    this.size += this.sizeOf(key, value);
    for (const [oldest, its] of this.entries) {
      if (this.size <= this.mostCharacters || this.entries.size === 1) return;
      this.entries.delete(oldest);
      this.size -= this.sizeOf(oldest, its);
    }
  }
}
