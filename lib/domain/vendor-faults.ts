/** Why a vendor could not be asked: the text after its name, for people to read. See stored-text.ts. */
export const VENDOR_FAULTS = {
  noAddress: 'it has no address',
  noSettings: 'its settings cannot be read',
  unreached: 'it cannot be reached ({code})',
  proxyRefused: 'its proxy refused the connection',
  modelsAnswered: 'it answered {status} when asked for its models',
  balanceAnswered: 'it answered {status} when asked for its balance',
  keyRefused: 'it does not accept the API key',
  noList: 'it does not list its models: name those that you want',
  otherList: "its list of models is not in OpenAI's format",
  tooLong: 'its answer is too long',
  notJson: 'its answer is not JSON; does the address end in its version, such as /v1?',
  noBalance: 'it does not report a balance',
  otherBalance: 'it reported its balance in an unknown format',
  noChats: 'it has no chat models',
  // Comes before the shorter one, whose model name would match all of this.
  chatAnsweredWith: 'it answered {status} to a chat with "{model}": {said}',
  chatAnswered: 'it answered {status} to a chat with "{model}"',
  chatFailed: 'a chat with "{model}" failed ({detail})',
} as const
