/** A file that is open for reading. It must be closed. */
export interface OpenFile {
  readonly bytes: number
  /** The bytes from `first` to `last`, both included, as fast as they are consumed. Throws if they cannot be read. */
  read(first: number, last: number): AsyncIterable<Uint8Array>
  /** Ends all reads in progress. Can be called more than once. */
  close(): Promise<void>
}

/** A place for files. Names have the format of names.ts. A file never changes once it has its name. */
export interface FileStore {
  /** A folder, or a bucket and its host, as named in logs. */
  readonly location: string
  /** Stores a file. It gets its name once it is complete and durable. If this throws, nothing of it is left. */
  put(name: string, content: Uint8Array | AsyncIterable<Uint8Array>, type: string): Promise<{ bytes: number }>
  /** Returns null if there is no such file. */
  open(name: string): Promise<OpenFile | null>
  /** Removes a file. It may already be gone. */
  remove(name: string): Promise<void>
  /** Removes all files whose hour is before this one, and returns their number. */
  sweep(beforeHour: string): Promise<number>
}
