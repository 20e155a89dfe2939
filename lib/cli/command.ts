import { join, resolve } from 'node:path'
import { type Env, readEnv } from '../env.ts'
import { reasonOf } from '../setup/error-reason.ts'

/** What a command takes as arguments. */
export interface Command<Input> {
  /** Printed for `--help`, and for arguments that the command does not take. */
  usage: string
  /**
   * Reads the arguments, in the folder where the command was called and before anything is opened. Returns null if they are
   * invalid.
   */
  parseArguments(args: string[]): Input | null | Promise<Input | null>
}

/** A command without arguments. It refuses any that are given, because it would not do what they ask for. */
export const commandWithoutArguments = (usage: string): Command<true> => ({
  usage,
  parseArguments: (args) => args.length === 0 || null,
})

/** The only argument of a command that takes a folder; null if there is none, more than one, or an option. */
export const parseFolderArgument = ([folder = '', ...more]: string[]): string | null =>
  folder === '' || folder.startsWith('-') || more.length > 0 ? null : resolve(folder)

/**
 * Runs a command in the project's folder. Its result is the exit code. An error is printed as one line, and the exit code is 1.
 */
export async function runCommand<Input>(
  { usage, parseArguments }: Command<Input>,
  run: (input: Input, env: Env) => Promise<number>,
): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--help')) return void process.stdout.write(`${usage}\n`)
  try {
    const input = await parseArguments(args)
    if (input === null) throw new Error(usage)
    process.chdir(join(import.meta.dirname, '../..'))
    process.exitCode = await run(input, readEnv())
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`)
    process.exitCode = 1
  }
}
