/** The addresses of workbooks: each has its own origin, under one domain that is used for nothing else. */
export class FrameAddress {
  constructor(
    private readonly scheme: 'http' | 'https',
    /** With the port unless it is the default port: `wb.localhost:4567`. A function, because the port is known late. */
    private readonly domainOf: () => string,
  ) {}

  originOf(label: string): string {
    return `${this.scheme}://${label}.${this.domainOf()}`;
  }

  /** The label in a `Host` header; undefined if the header does not name a workbook. */
  labelIn(host: string | undefined): string | undefined {
    const name = (host ?? '').toLowerCase();
    const end = `.${this.domainOf()}`;
    const label = name.endsWith(end) ? name.slice(0, -end.length) : '';
    return /^[0-9a-z]{1,63}$/.test(label) ? label : undefined;
  }
}
