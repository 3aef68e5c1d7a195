/** The page of a run that the server does not have. */
export function Gone({ id }: { id: string }) {
  return (
    <div class="empty">
      <h1>Run not found</h1>
      <p>
        The server has no run <code>{id}</code>. Check the address: the run may belong to another server.
        Otherwise it was removed, by the retention time of the server or with its data.
      </p>
      <p>
        <a href="/runs">See all runs</a>
      </p>
    </div>
  );
}
