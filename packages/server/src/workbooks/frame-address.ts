/** Where workbooks live: an origin of its own for each, under one domain that nothing else uses. */
export class FrameAddress {
  constructor(
    private readonly scheme: 'http' | 'https',
    /** With the port, if it is not the usual one: `wb.localhost:4567`. */
    private readonly domain: string,
  ) {}

  originOf(label: string): string {
    return `${this.scheme}://${label}.${this.domain}`;
  }

  /** The label in a `Host` header; undefined where it is no workbook's. */
  labelIn(host: string | undefined): string | undefined {
    const name = (host ?? '').toLowerCase();
    const label = name.endsWith(`.${this.domain}`) ? name.slice(0, -this.domain.length - 1) : '';
    return /^[0-9a-z]{1,63}$/.test(label) ? label : undefined;
  }
}
