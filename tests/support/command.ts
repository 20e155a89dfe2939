import { execFile } from 'node:child_process'

export interface Ran {
  code: number
  out: string
  errors: string
}

/** Runs one of lib/cli as somebody at a shell does. `env` has the database that it works on. */
export function runCommand(command: string, args: readonly string[], env: Record<string, string>): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`lib/cli/${command}.ts`, ...args],
      { env: { ...process.env, LOG_LEVEL: 'fatal', ...env } },
      (error, out, errors) => resolve({ code: Number(error?.code ?? 0), out, errors }),
    )
  })
}
