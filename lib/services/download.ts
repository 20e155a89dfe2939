/** A file that is made while it is sent. */
export interface Download {
  /** What it is to be called, in plain letters. */
  name: string
  type: string
  /** Its text. The next piece is made when it is asked for. */
  chunks: AsyncGenerator<string>
  /** Has to be called once nothing more is read, whether all of it was or not; harmless when repeated. */
  close(): void
}
