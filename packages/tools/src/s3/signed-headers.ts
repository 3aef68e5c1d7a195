/** The signed headers of a request to S3. The body is not read: the sender knows its checksum. */
import { AwsV4Signer } from 'aws4fetch';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface ToSign {
  method: string;
  url: URL;
  /** Names in lower case; all of them are signed. */
  headers: Record<string, string>;
  /** Of the body, in hex. */
  bodySha256: string;
  region: string;
  at: Date;
}

export async function signedHeaders(
  { method, url, headers, bodySha256, region, at }: ToSign,
  credentials: AwsCredentials,
): Promise<Record<string, string>> {
  const signed = await new AwsV4Signer({
    ...credentials,
    method,
    url: url.href,
    headers: { ...headers, 'x-amz-content-sha256': bodySha256 },
    service: 's3',
    region,
    datetime: at.toISOString().replace(/[-:]|\.\d{3}/g, ''),
    allHeaders: true,
  }).sign();
  return Object.fromEntries(signed.headers);
}
