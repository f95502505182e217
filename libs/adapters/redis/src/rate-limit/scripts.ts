/**
 * One script per operation, so that each is atomic among all pods. Times are Redis's own. Every key expires with its
 * content, so an unused budget leaves no keys. A request that need not wait costs a dozen commands, so the queue is touched
 * only while something waits.
 *
 * KEYS of each script (see `keys.ts`), by ticket id:
 *   counted    when the request leaves the window; later than a window from now while it is in flight
 *   queue      when it joined the queue
 *   alive      when its place in the queue expires
 *   state      hash of the limits in the host's headers
 *   pods       processes, when each expires; shared by all budgets
 * ARGV[1]: the wake-up channel.
 */
const COMMON = `
local counted, queue, alive, state, pods = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function keep(key, ms)
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
end
-- 1 ms more, because times are truncated to milliseconds.
local function in_flight(window) return redis.call('ZCOUNT', counted, '(' .. now + window + 1, '+inf') end
local function wake_head()
  local head = redis.call('ZRANGE', queue, 0, 0)[1]
  if head then redis.call('PUBLISH', ARGV[1], head) end
end`;

/**
 * ARGV: ticket, requests, concurrency, window ms, slot TTL ms, queue place TTL ms, 1 when urgent.
 * Returns granted (1 or 0), reason, ms until there may be room (-1: unknown), number of processes.
 *
 * A request counts until one window after its end: the host has counted it somewhere in between, so no window of the
 * host's can hold more than the limit. The request of a dead owner counts until one window after its slot expired.
 */
export const ACQUIRE = `${COMMON}
local ticket, requests, concurrency = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local window, slot_ttl, place_ttl = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
redis.call('ZREMRANGEBYSCORE', counted, '-inf', now)
-- Urgent tickets come before all others, in their order of arrival.
local function join()
  redis.call('ZADD', queue, 'NX', ARGV[8] == '1' and now - 1e12 or now, ticket)
  redis.call('ZADD', alive, now + place_ttl, ticket)
  keep(queue, place_ttl)
  keep(alive, place_ttl)
end
local is_queued, rank = redis.call('EXISTS', queue) == 1, 0
if is_queued then
  for _, dead in ipairs(redis.call('ZRANGEBYSCORE', alive, '-inf', now)) do
    redis.call('ZREM', queue, dead)
    redis.call('ZREM', alive, dead)
  end
  join()
  rank = redis.call('ZRANK', queue, ticket)
end

local known = redis.call('HMGET', state, 'paused_until', 'limit', 'left', 'reset')
local paused_until, host_limit, reset = tonumber(known[1]) or 0, tonumber(known[2]), tonumber(known[4]) or 0
if host_limit and (requests == 0 or host_limit < requests) then requests = host_limit end
-- remaining = 0 means: pause until the reset.
if reset > now and rank >= tonumber(known[3]) then paused_until = math.max(paused_until, reset) end
local reason, until_ms, processes = '', 0, redis.call('ZCARD', pods)
local over = requests > 0 and rank + redis.call('ZCARD', counted) - requests or -1
if paused_until > now then
  reason, until_ms = 'paused', paused_until
elseif over >= 0 then
  local leaver = redis.call('ZRANGE', counted, over, over, 'WITHSCORES')
  reason, until_ms = 'rate', tonumber(leaver[2]) or now + window
elseif concurrency > 0 and rank + in_flight(window) >= concurrency then
  reason = 'concurrency'
end
if reason ~= '' then
  if not is_queued then join() end
  return {0, reason, until_ms > 0 and until_ms - now or -1, processes}
end
redis.call('ZADD', counted, now + slot_ttl + window, ticket)
keep(counted, slot_ttl + window)
if reset > now then redis.call('HINCRBY', state, 'left', -1) end
if is_queued then
  redis.call('ZREM', queue, ticket)
  redis.call('ZREM', alive, ticket)
  wake_head()
end
return {1, '', 0, processes}`;

/** ARGV: ticket. */
export const CANCEL = `${COMMON}
redis.call('ZREM', alive, ARGV[2])
if redis.call('ZREM', queue, ARGV[2]) == 1 then wake_head() end`;

/**
 * ARGV: ticket, window ms, then from the headers: limit, remaining, ms until reset (-1: absent), and the TTL of a limit in
 * ms. Of two responses in the same window (resets within a second) the stricter counts. The host may or may not have
 * counted the requests in flight: assume that it has not. A request without a response may have been counted until now.
 */
export const RELEASE = `${COMMON}
local window = tonumber(ARGV[3])
local limit, remaining, until_reset = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
redis.call('ZADD', counted, 'XX', 'LT', now + window + 1, ARGV[2])
if limit >= 0 then
  redis.call('HSET', state, 'limit', math.max(1, limit))
  keep(state, tonumber(ARGV[7]))
end
if remaining >= 0 and until_reset > 0 then
  local left = remaining - in_flight(window)
  local known = redis.call('HMGET', state, 'left', 'reset')
  local reset, known_reset = now + until_reset, tonumber(known[2]) or 0
  if known_reset > now and math.abs(known_reset - reset) <= 1000 then
    left, reset = math.min(left, tonumber(known[1])), math.max(reset, known_reset)
  end
  redis.call('HSET', state, 'left', left, 'reset', reset)
  keep(state, until_reset)
end
wake_head()`;

/** ARGV: ms. */
export const PAUSE = `${COMMON}
local paused_until = now + tonumber(ARGV[2])
if paused_until > (tonumber(redis.call('HGET', state, 'paused_until')) or 0) then
  redis.call('HSET', state, 'paused_until', paused_until)
  keep(state, tonumber(ARGV[2]))
end`;

/** ARGV: window ms, slot TTL ms, tickets. Does not restore slots that have ended. */
export const RENEW = `${COMMON}
local window, slot_ttl = tonumber(ARGV[2]), tonumber(ARGV[3])
for index = 4, #ARGV do
  local score = tonumber(redis.call('ZSCORE', counted, ARGV[index]) or 0)
  if score > now + window + 1 then redis.call('ZADD', counted, now + slot_ttl + window, ARGV[index]) end
end
keep(counted, slot_ttl + window)`;

/** KEYS: pods, by the time when each expires. ARGV: this process, its TTL in ms. Returns the number of processes. */
export const ANNOUNCE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`;
