/** A placeholder for content that is loading, as large as the content will be. */
export function Skeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}
