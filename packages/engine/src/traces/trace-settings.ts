/** The environment variables of OpenTelemetry that say where traces go. */

export interface TraceSettings {
  url: string;
  headers: Record<string, string>;
  service: string;
}

/** Undefined: traces are not sent. */
export function traceSettings(env: Readonly<Record<string, string | undefined>>): TraceSettings | undefined {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '');
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || (base ? `${base}/v1/traces` : '');
  if (url === '' || env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const headers = headersOf(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS || '');
  return { url, headers, service: env.OTEL_SERVICE_NAME || 'woof' };
}

/** `name=value,name=value`, values percent-encoded. */
function headersOf(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const cut = pair.indexOf('=');
    if (cut > 0) headers[pair.slice(0, cut).trim().toLowerCase()] = decoded(pair.slice(cut + 1).trim());
  }
  return headers;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
