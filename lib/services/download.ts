/** A file that is generated while it is sent. */
export interface Download {
  /** The file name, in ASCII letters. */
  name: string
  type: string
  /** The text of the file. The next piece is generated when it is requested. */
  chunks: AsyncGenerator<string>
  /** Must be called when nothing more will be read, whether or not everything was read. Harmless if repeated. */
  close(): void
}
