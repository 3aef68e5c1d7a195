/** Where workbooks live: an origin of its own for each, under one domain that nothing else uses. */
export class FrameAddress {
  constructor(
    private readonly scheme: 'http' | 'https',
    /** With the port, if it is not the usual one: `wb.localhost:4567`. Asked each time: a port is known late. */
    private readonly domainOf: () => string,
  ) {}

  originOf(label: string): string {
    return `${this.scheme}://${label}.${this.domainOf()}`;
  }

  /** The label in a `Host` header; undefined where it is no workbook's. */
  labelIn(host: string | undefined): string | undefined {
    const name = (host ?? '').toLowerCase();
    const end = `.${this.domainOf()}`;
    const label = name.endsWith(end) ? name.slice(0, -end.length) : '';
    return /^[0-9a-z]{1,63}$/.test(label) ? label : undefined;
  }
}
