/** A file that is open for reading. It has to be closed. */
export interface OpenFile {
  readonly bytes: number
  /** The bytes from `first` up to and with `last`, as fast as they are asked for. Throws where they cannot be read. */
  read(first: number, last: number): AsyncIterable<Uint8Array>
  /** Ends what is still read. May be called more than once. */
  close(): Promise<void>
}

/** Where files are. Names are those of names.ts; a file is never changed once it has its name. */
export interface FileStore {
  /** A folder, or a bucket and its host, as logs name it. */
  readonly place: string
  /** Stores a file. It has its name when it is whole and durable; where this throws, nothing is left of it. */
  put(name: string, content: Uint8Array | AsyncIterable<Uint8Array>, type: string): Promise<{ bytes: number }>
  /** Null where there is no such file. */
  open(name: string): Promise<OpenFile | null>
  /** Removes a file; it may be gone already. */
  remove(name: string): Promise<void>
  /** Removes all files whose hour is before this one; answers how many there were. */
  sweep(beforeHour: string): Promise<number>
}
