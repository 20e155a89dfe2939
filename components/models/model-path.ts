/** The address of a model's page. Its name may have slashes, which are part of the address, and anything else, which is not. */
export const modelPath = (id: string): string => `/models/${id.split('/').map(encodeURIComponent).join('/')}`
