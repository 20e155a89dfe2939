/** What a signal ends. */
export interface Living {
  log(error: unknown, message: string): void
  /** Lets what is under way finish, and gives everything back. */
  stop(): Promise<void>
  /** The last thing before the process ends without waiting any longer. */
  abandon(): void
}

/** A process that is tied to its signals. */
export interface Life {
  /** Stops it: once, however often it is called. */
  stop(code: number): Promise<void>
  /** Ties it to errors that nobody caught once more, where what was loaded since has its own way with them. */
  catchAlone(): void
}

/** A second signal after this long is meant; before, it is npm that passes on what the terminal sent to us too. */
const AGAIN_MS = 1000
/** After an uncaught error, settling may take this long. */
const LAST_MS = 2000

/**
 * Ties a process to its signals. What has not stopped after what `most` says, in milliseconds, is left as a crash would leave it: a database that is
 * away would be waited for without end.
 */
export function live(living: Living, most: () => number): Life {
  let stoppingSince: number | null = null
  const stop = async (code: number): Promise<void> => {
    if (stoppingSince !== null) return
    stoppingSince = performance.now()
    const mostMs = most()
    setTimeout(() => {
      living.log(new Error(`still not done after ${mostMs} ms`), 'the process stops without waiting any longer')
      living.abandon()
      process.exit(code || 1)
    }, mostMs)
    try {
      await living.stop()
    } catch (error) {
      living.log(error, 'the process could not stop as it should')
      living.abandon()
      process.exit(code || 1)
    }
    process.exit(code)
  }
  // Whoever read what it prints may be gone, with its terminal or its pipe, before it is: that ends nothing.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (stoppingSince === null) void stop(0)
      else if (performance.now() - stoppingSince > AGAIN_MS) {
        living.abandon()
        process.exit(130)
      }
    })
  const uncaught = (error: unknown) => {
    living.log(error, 'an uncaught error')
    setTimeout(() => {
      living.abandon()
      process.exit(1)
    }, LAST_MS)
    void stop(1)
  }
  const catchAlone = () => {
    // Nothing in this process can be trusted any more: settle what is waiting, and end. Next would keep it alive.
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.removeAllListeners(event)
      process.on(event, uncaught)
    }
  }
  catchAlone()
  return { stop, catchAlone }
}
