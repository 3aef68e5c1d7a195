/** `folder`: where the sources of the drivers are. */
export function driverDigest(folder: string): string;
