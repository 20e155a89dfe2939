/** The filters of a page: in one row, and on phones two per row with equal widths. */
export const filterBarStyles = 'grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap'
