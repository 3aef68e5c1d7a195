/** The Node that runs Woof. */
export async function javascriptRuntime(): Promise<string> {
  return `node ${process.versions.node}`;
}
