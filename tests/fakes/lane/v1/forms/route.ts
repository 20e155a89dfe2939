import type { IncomingRequest } from '#lib/gateway/answer'
import { relayForm } from '../../../relay-form.ts'

export const POST = (request: IncomingRequest) => relayForm(request, request.signal)
