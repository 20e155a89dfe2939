import { execFile } from 'node:child_process'

export interface CommandResult {
  code: number
  out: string
  errors: string
}

/** Runs a command of lib/cli as from a shell. `env` names the database to use. */
export function runCommand(command: string, args: readonly string[], env: Record<string, string>): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`lib/cli/${command}.ts`, ...args],
      { env: { ...process.env, LOG_LEVEL: 'fatal', ...env } },
      (error, out, errors) => resolve({ code: Number(error?.code ?? 0), out, errors }),
    )
  })
}
