/** Formats rows of cells as aligned columns. */
export function formatColumns(cells: readonly (readonly string[])[]): string {
  const widths = (cells[0] ?? []).map((_, column) =>
    cells.reduce((widest, line) => Math.max(widest, line[column]?.length ?? 0), 0),
  )
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
