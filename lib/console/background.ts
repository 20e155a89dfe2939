import type { Background } from '../services/sign-in/sign-in-ports.ts'
import type { ConsoleLog } from './problem.ts'

/** Runs tasks after the answer, in this process. A task that is in progress when the process ends is lost. */
export function createBackground(log: ConsoleLog): Background {
  const running = new Set<Promise<void>>()
  return {
    defer(what, task) {
      const done: Promise<void> = Promise.resolve()
        .then(task)
        .catch((error: unknown) =>
          // Only the code and the name: a mail server's answer can quote addresses.
          log.error(
            { what, code: (error as { code?: unknown }).code, name: (error as Error).name },
            'a task in the background failed',
          ),
        )
        .finally(() => running.delete(done))
      running.add(done)
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
