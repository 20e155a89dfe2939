/** What is stopped by a signal. */
export interface LifecycleHooks {
  log(error: unknown, message: string): void
  /** Finishes the work in progress and gives everything back. */
  stop(): Promise<void>
  /** The last step before the process ends without waiting any longer. */
  abandon(): void
}

/** A process with signal handlers. */
export interface Lifecycle {
  /** Stops the process. Later calls do nothing. */
  stop(code: number): Promise<void>
  /** Sets the handlers for uncaught errors again, and removes those of modules that were loaded since. */
  takeOverErrorHandlers(): void
}

/** A second signal counts only after this long. Before that, it is npm that passes on what the terminal also sent to us. */
const SECOND_SIGNAL_MS = 1000
/** After an uncaught error, settling may take this long. */
const UNCAUGHT_GRACE_MS = 2000

/**
 * Ties a process to its signals. If it has not stopped after `maxStopMs()` milliseconds, it ends as in a crash: otherwise it would
 * wait forever for a database that is away.
 */
export function manageLifecycle(hooks: LifecycleHooks, maxStopMs: () => number): Lifecycle {
  let stoppingSince: number | null = null
  const stop = async (code: number): Promise<void> => {
    if (stoppingSince !== null) return
    stoppingSince = performance.now()
    const timeoutMs = maxStopMs()
    setTimeout(() => {
      hooks.log(new Error(`still not done after ${timeoutMs} ms`), 'the process stops without waiting any longer')
      hooks.abandon()
      process.exit(code || 1)
    }, timeoutMs)
    try {
      await hooks.stop()
    } catch (error) {
      hooks.log(error, 'the process could not stop as it should')
      hooks.abandon()
      process.exit(code || 1)
    }
    process.exit(code)
  }
  // The reader of the output may be gone before this process, with its terminal or pipe. That must not end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (stoppingSince === null) void stop(0)
      else if (performance.now() - stoppingSince > SECOND_SIGNAL_MS) {
        hooks.abandon()
        process.exit(130)
      }
    })
  const onUncaughtError = (error: unknown) => {
    hooks.log(error, 'an uncaught error')
    setTimeout(() => {
      hooks.abandon()
      process.exit(1)
    }, UNCAUGHT_GRACE_MS)
    void stop(1)
  }
  const takeOverErrorHandlers = () => {
    // After such an error nothing in this process can be trusted: settle what is waiting, and end. Next would keep it alive.
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.removeAllListeners(event)
      process.on(event, onUncaughtError)
    }
  }
  takeOverErrorHandlers()
  return { stop, takeOverErrorHandlers }
}
