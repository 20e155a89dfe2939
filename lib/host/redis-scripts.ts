import { BLOCK_DIVISOR, MIN_BLOCK, WINDOW_MS } from '../gateway/limits/counts-protocol.ts'

/** Prints numbers without fractions and exponents, however large they are. */
const PRELUDE = `
local function text(number) return string.format('%.0f', number) end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
`

/**
 * Counts.take of lib/gateway/limits/counts.ts. KEYS: the key's minute. ARGV: rpm, tpm, processes, window, requests to give back,
 * tokens to give back, block, then the tokens of each waiting request.
 */
export const TAKE_SCRIPT = `${PRELUDE}
local rpm, tpm, sharers, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local back = { tonumber(ARGV[5]), tonumber(ARGV[6]) }
local found = redis.call('HMGET', KEYS[1], 'id', 'requests', 'tokens', 'ends')
local id, requests, tokens, ends = found[1], tonumber(found[2] or 0), tonumber(found[3] or 0), tonumber(found[4] or 0)
if not id or ends <= now then
  id, requests, tokens, ends = clock[1] .. '.' .. clock[2], 0, 0, now + ${WINDOW_MS}
end
if id ~= window then back = { math.min(0, back[1]), math.min(0, back[2]) } end
requests, tokens = math.max(0, requests - back[1]), math.max(0, tokens - back[2])
local full, dearest = {}, 1
for at = 8, #ARGV do
  local wanted = tonumber(ARGV[at])
  dearest = math.max(dearest, wanted)
  if requests + 1 > rpm then full[#full + 1] = 'requests'
  elseif tokens + wanted > tpm and tokens > 0 then full[#full + 1] = 'tokens'
  else
    full[#full + 1] = ''
    requests, tokens = requests + 1, tokens + wanted
  end
end
local blockR, blockT = 0, 0
if ARGV[7] == '1' then
  blockR, blockT = math.floor((rpm - requests) / (${BLOCK_DIVISOR} * sharers)), math.floor((tpm - tokens) / (${BLOCK_DIVISOR} * sharers))
  if blockR < ${MIN_BLOCK} or blockT < ${MIN_BLOCK} * dearest then blockR, blockT = 0, 0 end
end
requests, tokens = requests + blockR, tokens + blockT
redis.call('HSET', KEYS[1], 'id', id, 'requests', text(requests), 'tokens', text(tokens), 'ends', text(ends))
redis.call('PEXPIREAT', KEYS[1], text(ends))
return { id, text(ends - now), text(requests), text(tokens), text(blockR), text(blockT), unpack(full) }
`

/** Counts.strike. KEYS: the address. ARGV: 1 to count a strike, 0 to look. */
export const STRIKE_SCRIPT = `
local strikes
if ARGV[1] == '1' then
  strikes = redis.call('INCR', KEYS[1])
  if strikes == 1 then redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS}) end
else strikes = tonumber(redis.call('GET', KEYS[1]) or 0) end
return { strikes, math.max(0, redis.call('PTTL', KEYS[1])) }
`

/** A process without a heartbeat for this long counts as gone, and so does what it held. */
export const PROCESS_TTL_MS = 15_000
/** Longer than any request runs. */
const PLACES_TTL_MS = 2 * 3_600_000

/** Counts.enter. KEYS: the key's places, the processes. ARGV: process, most, running, need, block, processes. */
export const ENTER_SCRIPT = `${PRELUDE}
local most, running, need, sharers = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[6])
local held, all = 0, redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do
  if all[at] ~= ARGV[1] then
    local beaten = redis.call('ZSCORE', KEYS[2], all[at])
    if beaten and tonumber(beaten) > now - ${PROCESS_TTL_MS} then held = held + tonumber(all[at + 1])
    else redis.call('HDEL', KEYS[1], all[at]) end
  end
end
local free = most - running - held
local granted = math.max(0, math.min(need, free))
local block = 0
if ARGV[5] == '1' and need > 0 then block = math.floor((free - granted) / (${BLOCK_DIVISOR} * sharers)) end
if block < ${MIN_BLOCK} then block = 0 end
local total = running + granted + block
if total > 0 then
  redis.call('HSET', KEYS[1], ARGV[1], text(total))
  redis.call('PEXPIRE', KEYS[1], ${PLACES_TTL_MS})
else redis.call('HDEL', KEYS[1], ARGV[1]) end
return { granted, block }
`

/** Sends a process's heartbeat and returns how many processes are alive. KEYS: the processes. ARGV: process. */
export const HEARTBEAT_SCRIPT = `${PRELUDE}
redis.call('ZADD', KEYS[1], text(now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now - ${PROCESS_TTL_MS}))
return redis.call('ZCARD', KEYS[1])
`
