/** Where the filters of a page stand: in a row, and on phones two beside each other, all equally wide. */
export const filterBar = 'grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap'
