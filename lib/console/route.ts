import type { z } from 'zod'
import { ACCOUNT_HEADER, type Role } from '../contracts/session.ts'
import { isPlainObject } from '../domain/is-plain-object.ts'
import { findUnsafeLength } from '../domain/unsafe-length.ts'
import type { Download } from '../services/download.ts'
import type { ConsolePorts, Guest } from '../services/ports.ts'
import { ServiceError } from '../services/service-error.ts'
import type { SessionUser } from '../services/sign-in/sign-in-ports.ts'
import { describeZodIssue } from '../services/zod-error-map.ts'
import { messageOfIssue, pathOfIssue } from '../services/zod-issue.ts'
import { checkContentType, readJson } from './body.ts'
import { clientAddress } from './client-address.ts'
import { downloadAnswer } from './download.ts'
import { findFieldWithNul } from './find-field-with-nul.ts'
import { fulfillsWithin } from './fulfills-within.ts'
import { noInput } from './inputs.ts'
import { explicitLocaleOf } from './locale.ts'
import { isOwnOrigin } from './origin.ts'
import { jsonAnswer, problemAnswer } from './problem.ts'
import type { Console } from './runtime.ts'
import { guestOf } from './visitor.ts'

/** A route of Next's App Router, in web standard types. */
export type RouteHandler = (
  request: Request,
  context: { params: Promise<Record<string, string | string[] | undefined>> },
) => Promise<Response>

type Verb<Context, Input, Result = unknown> = (call: { ctx: Context; input: Input }) => Promise<Result>
type ConsoleContext = ConsolePorts & { user: SessionUser }
type GuestContext = ConsolePorts & Guest
type ReaderContext = ConsolePorts & { user: SessionUser | null }

export interface RouteOptions<Input> {
  /** The contract of the input: the path with the query (GET, DELETE) or with the body (others). By default there is no input. */
  input?: z.ZodType<Input>
  /** The status of a success, by default 200. */
  status?: number
  /** Who may call the route, by default every signed-in user. */
  roles?: readonly Role[]
  /** Account holders may do it during maintenance too. For changes that only take access away. */
  duringMaintenance?: true
  /** It can read a lot of data, and may take long. */
  slow?: true
}

export interface ConsoleRoutes {
  /** A verb for signed-in users. */
  consoleRoute<Input>(verb: Verb<ConsoleContext, Input>, options?: RouteOptions<Input>): RouteHandler
  /** A verb for operators. The support role may only read; owners and operators may also make changes. */
  operatorRoute<Input>(verb: Verb<ConsoleContext, Input>, options?: Omit<RouteOptions<Input>, 'roles'>): RouteHandler
  /** A verb for signed-in users that answers with a file, which is streamed. */
  downloadRoute<Input>(verb: Verb<ConsoleContext, Input, Download>, options?: Omit<RouteOptions<Input>, 'status'>): RouteHandler
  /** A verb for visitors who are not signed in. */
  guestRoute<Input>(verb: Verb<GuestContext, Input>, options?: Omit<RouteOptions<Input>, 'roles'>): RouteHandler
  /** A verb that reads something for everybody, and more for signed-in users. */
  openRoute<Input>(verb: Verb<ReaderContext, Input>, options?: Pick<RouteOptions<Input>, 'input'>): RouteHandler
  /** Answers addresses that have no verb with a 404, in the format of all other errors, to every caller. */
  notFoundRoute: RouteHandler
  /** Answers 200 if the database responds, otherwise 503. */
  healthRoute: () => Promise<Response>
}

const HEALTH_TIMEOUT_MS = 2000
const MAINTENANCE_RETRY_MS = 30_000
const READ_METHODS = new Set(['GET', 'HEAD'])
const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH'])
/** The roles that may read on the operator side, and those that may make changes there. */
const READER_ROLES: readonly Role[] = ['owner', 'operator', 'support']
const WRITER_ROLES: readonly Role[] = ['owner', 'operator']

function checkOrigin(request: Request, publicUrl: string): void {
  if (READ_METHODS.has(request.method) || isOwnOrigin(request.headers, publicUrl)) return
  throw new ServiceError('wrong_origin', 'This can only be done from the console itself. Open it at its own address.')
}

async function checkSession(request: Request, { sessions }: Console, roles: readonly Role[] | undefined): Promise<SessionUser> {
  // For changes that others depend on, the database is asked each time, and the cache is not used.
  const user = await sessions.read(request.headers.get('cookie'), roles === WRITER_ROLES)
  if (!user) throw new ServiceError('signed_out', 'You are signed out. Sign in again.')
  checkPageAccount(request, user)
  if (roles && !roles.includes(user.role)) throw new ServiceError('not_allowed', 'Your role does not allow this.')
  return user
}

/** All tabs share one session. A page that was made for another account may neither read nor change anything. */
function checkPageAccount({ headers }: Request, user: SessionUser): void {
  const account = headers.get(ACCOUNT_HEADER)
  if (account === null || account === user.accountId) return
  throw new ServiceError(
    'other_account',
    'Somebody signed in to another account in another tab. Reload this page to continue with that account.',
  )
}

/** During maintenance account holders may only read, and take access away. Roles that run the gateway are not restricted. */
function checkMaintenance(request: Request, { ports }: Console, user: SessionUser): void {
  if (!ports.liveSettings.values.maintenance || READ_METHODS.has(request.method) || user.role !== 'holder') return
  throw new ServiceError('unavailable', 'Nothing can be changed during maintenance. Try again later.', {
    retryAfterMs: MAINTENANCE_RETRY_MS,
  })
}

/** Emails are in the language in which the user last used the console, including those that this request causes. */
function withCurrentLocale({ headers }: Request, { ports, sessions }: Console, user: SessionUser): SessionUser {
  const locale = explicitLocaleOf(headers)
  if (locale === null || locale === user.locale) return user
  sessions.recordLocale(user.sessionId, locale)
  ports.background.defer('noting the language of the console', () => ports.users.setLocale(user.userId, locale))
  return { ...user, locale }
}

async function readInput(request: Request, context: Parameters<RouteHandler>[1]): Promise<unknown> {
  if (!READ_METHODS.has(request.method)) checkContentType(request.headers)
  // Next passes nothing if the path has no parameters.
  const params = (await (context.params as Promise<Record<string, unknown> | undefined>)) ?? {}
  if (!BODY_METHODS.has(request.method)) return { ...Object.fromEntries(new URL(request.url).searchParams), ...params }
  const body = await readJson(request)
  // A body cannot override what the path names. A body that is not an object is refused by the contract.
  return isPlainObject(body) ? { ...body, ...params } : body
}

function parse<Input>(schema: z.ZodType<Input> | undefined, given: unknown): Input {
  const unsafePath = findUnsafeLength(given)
  if (unsafePath !== null)
    throw new ServiceError('invalid_input', 'This value is invalid.', { field: unsafePath.map(String).join('.') })
  const parsed = (schema ?? noInput).safeParse(given, { error: describeZodIssue })
  if (parsed.success) {
    const field = findFieldWithNul(parsed.data)
    if (field !== null) throw new ServiceError('invalid_input', 'Remove the NUL character.', { field })
    return parsed.data as Input
  }
  const issue = parsed.error.issues[0]
  const field = pathOfIssue(issue)
  throw new ServiceError('invalid_input', messageOfIssue(issue), field ? { field } : {})
}

/**
 * Creates the routes, the only way into the console's verbs. Checks in this order: origin, session, page, role, content type,
 * size, shape, and then runs the verb. So the body of a caller who may not use the route is never read. `getConsole` is called
 * for each request, because the routes are loaded before the console exists.
 */
export function createConsoleRoutes(getConsole: () => Promise<Console>): ConsoleRoutes {
  const serve =
    <Input>(
      enter: (request: Request, parts: Console) => Promise<(input: Input) => Promise<unknown>>,
      options: RouteOptions<Input>,
      answer: (result: unknown, request: Request) => Response = (result) => jsonAnswer(result, options.status ?? 200),
    ): RouteHandler =>
    async (request, context) => {
      const parts = await getConsole()
      try {
        checkOrigin(request, parts.publicUrl())
        const run = await enter(request, parts)
        const input = parse(options.input, await readInput(request, context))
        return answer(await run(input), request)
      } catch (error) {
        return problemAnswer(error, request, parts.log)
      }
    }

  const runSignedIn =
    <Input>(verb: Verb<ConsoleContext, Input>, { roles, duringMaintenance, slow }: RouteOptions<Input>) =>
    async (request: Request, parts: Console) => {
      const sessionUser = await checkSession(request, parts, roles)
      if (!duringMaintenance) checkMaintenance(request, parts, sessionUser)
      const user = withCurrentLocale(request, parts, sessionUser)
      const { reads, slowReads, changes } = parts.queues
      const queue = !READ_METHODS.has(request.method) ? changes : slow ? slowReads : reads
      return (input: Input) => queue(user.accountId, () => verb({ ctx: { ...parts.ports, user }, input }))
    }

  return {
    consoleRoute: (verb, options = {}) => serve(runSignedIn(verb, options), options),
    operatorRoute: (verb, options = {}) =>
      serve(
        (request, parts) =>
          runSignedIn(verb, { ...options, roles: READ_METHODS.has(request.method) ? READER_ROLES : WRITER_ROLES })(
            request,
            parts,
          ),
        options,
      ),
    downloadRoute: (verb, options = {}) =>
      serve(runSignedIn(verb, options), options, (result, request) => downloadAnswer(result as Download, request)),
    guestRoute: (verb, options = {}) =>
      serve(async (request, parts) => {
        const guest = guestOf(request.headers)
        return (input) => parts.queues.guests(guest.address, () => verb({ ctx: { ...parts.ports, ...guest }, input }))
      }, options),
    openRoute: (verb, options = {}) =>
      serve(async (request, { ports, sessions, queues }) => {
        const user = await sessions.read(request.headers.get('cookie'))
        const [callerId, queue] = user ? [user.accountId, queues.reads] : [clientAddress(request.headers), queues.guests]
        return (input) => queue(callerId, () => verb({ ctx: { ...ports, user }, input }))
      }, options),
    notFoundRoute: serve<never>(() => {
      throw new ServiceError('not_found', 'There is nothing at this address.')
    }, {}),
    async healthRoute() {
      const healthy = await fulfillsWithin(
        getConsole().then((parts) => parts.ping()),
        HEALTH_TIMEOUT_MS,
      )
      return healthy ? jsonAnswer({ status: 'ok' }, 200) : jsonAnswer({ status: 'unavailable' }, 503)
    },
  }
}
