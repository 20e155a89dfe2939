import { type Target, targetOf } from '../upstream.ts'

/**
 * Where Azure takes a request. Its current API works like OpenAI's, with the deployment's name as the model. If the base URL has
 * an `api-version` and its path does not end in `/v1`, it is the older API, which has the deployment in the path.
 */
export function azureTarget(baseUrl: string, path: string, upstreamModel: string): Target {
  const { pathname, searchParams } = new URL(baseUrl)
  const older = searchParams.has('api-version') && !/\/v1\/?$/.test(pathname)
  // In the older API, responses are not below a deployment.
  const place = older && path !== '/responses' ? `/deployments/${encodeURIComponent(upstreamModel)}${path}` : path
  return targetOf(baseUrl, place)
}
