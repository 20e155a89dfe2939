/** The path of an endpoint below the base URL, from its dotted name: `chat.completions` becomes `chat/completions`. */
export const endpointPath = (endpoint: string): string => endpoint.replace(/^\/?(v1\/)?/, '').replaceAll('.', '/')
