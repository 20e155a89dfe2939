export const NO_BYTES: Buffer = Buffer.alloc(0)

/** Joins pieces of output. One piece is not copied. */
export const concatPieces = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 ? (pieces[0] ?? NO_BYTES) : Buffer.concat(pieces)
