import type { z } from 'zod'
import type { Role } from '../contracts/session.ts'
import type { ConsolePorts, SignedIn } from '../services/ports.ts'
import { ServiceError } from '../services/service-error.ts'
import { clientAddress } from './address.ts'
import { answered } from './answered.ts'
import { checkContentType, readJson } from './body.ts'
import { noInput } from './inputs.ts'
import { isOwnOrigin } from './origin.ts'
import { jsonAnswer, problemAnswer } from './problem.ts'
import type { Console } from './runtime.ts'

/** A route of Next's App Router, in web-standard types. */
export type RouteHandler = (
  request: Request,
  context: { params: Promise<Record<string, string | string[] | undefined>> },
) => Promise<Response>

type Verb<Context, Input> = (call: { ctx: Context; input: Input }) => Promise<unknown>
type ConsoleContext = ConsolePorts & { user: SignedIn }
type GuestContext = ConsolePorts & { address: string }

export interface RouteOptions<Input> {
  /** The contract of the query and path of a GET or DELETE, or of the body of a POST. Nothing is taken without it. */
  input?: z.ZodType<Input>
  /** The status of success, 200 unless stated. */
  status?: number
  /** Who may ask; everyone signed in unless stated. */
  roles?: readonly Role[]
}

export interface ConsoleRoutes {
  /** A verb for those who are signed in. */
  consoleRoute<Input>(verb: Verb<ConsoleContext, Input>, options?: RouteOptions<Input>): RouteHandler
  /** A verb for strangers. */
  guestRoute<Input>(verb: Verb<GuestContext, Input>, options?: Omit<RouteOptions<Input>, 'roles'>): RouteHandler
  /** Whether the database answers: 200 or 503. */
  healthRoute: () => Promise<Response>
}

const HEALTH_TIMEOUT_MS = 2000
const READS = new Set(['GET', 'HEAD'])

function checkOrigin(request: Request, publicUrl: string): void {
  if (READS.has(request.method) || isOwnOrigin(request.headers, publicUrl)) return
  throw new ServiceError('wrong_origin', 'This can only be done from the console itself. Open it at its own address.')
}

async function checkSession(request: Request, { sessions }: Console, roles?: readonly Role[]): Promise<SignedIn> {
  const user = await sessions.read(request.headers.get('cookie'))
  if (!user) throw new ServiceError('signed_out', 'You are signed out. Sign in again.')
  if (roles && !roles.includes(user.role)) throw new ServiceError('not_allowed', 'Your role does not allow this.')
  return user
}

async function givenInput(request: Request, context: Parameters<RouteHandler>[1]): Promise<unknown> {
  if (!READS.has(request.method)) checkContentType(request.headers)
  if (request.method === 'POST') return readJson(request)
  return { ...Object.fromEntries(new URL(request.url).searchParams), ...(await context.params) }
}

function parse<Input>(schema: z.ZodType<Input> | undefined, given: unknown): Input {
  const parsed = (schema ?? noInput).safeParse(given)
  if (parsed.success) return parsed.data as Input
  const issue = parsed.error.issues[0]
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.map(String).join('.')
  throw new ServiceError('invalid_input', issue?.message ?? 'This cannot be used.', field ? { field } : {})
}

/**
 * The one way into the console's verbs. In this order: origin, session, role, content type, size, shape,
 * verb; so a stranger's body is never read. `getConsole` is called per request, because the routes are
 * loaded before there is anything to serve with.
 */
export function createConsoleRoutes(getConsole: () => Promise<Console>): ConsoleRoutes {
  const serve =
    <Input>(
      enter: (request: Request, parts: Console) => Promise<(input: Input) => Promise<unknown>>,
      options: RouteOptions<Input>,
    ): RouteHandler =>
    async (request, context) => {
      const parts = await getConsole()
      try {
        checkOrigin(request, parts.publicUrl())
        const run = await enter(request, parts)
        const input = parse(options.input, await givenInput(request, context))
        return jsonAnswer(await run(input), options.status ?? 200)
      } catch (error) {
        return problemAnswer(error, request, parts.log)
      }
    }

  return {
    consoleRoute: (verb, options = {}) =>
      serve(async (request, parts) => {
        const user = await checkSession(request, parts, options.roles)
        return (input) => verb({ ctx: { ...parts.ports, user }, input })
      }, options),
    guestRoute: (verb, options = {}) =>
      serve(async (request, parts) => {
        const address = clientAddress(request.headers)
        return (input) => verb({ ctx: { ...parts.ports, address }, input })
      }, options),
    async healthRoute() {
      const healthy = await answered(
        getConsole().then((parts) => parts.ping()),
        HEALTH_TIMEOUT_MS,
      )
      return healthy ? jsonAnswer({ status: 'ok' }, 200) : jsonAnswer({ status: 'unavailable' }, 503)
    },
  }
}
