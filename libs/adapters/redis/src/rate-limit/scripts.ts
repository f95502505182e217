/**
 * One script for each step, so that no two pods can be in the middle of one at the same time; times are Redis's own.
 * Every key lives no longer than what stands in it: a forgotten budget leaves nothing behind.
 *
 * KEYS of each: calls, busy, line, awake, told (see `keys.ts`); ARGV[1]: the channel of turns.
 */
const COMMON = `
local calls, busy, line, awake, told = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function keep(key, ms)
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
end
-- Leaves the window a whole one after the answer, and a millisecond: times are cut to those.
local function answer(ticket, window)
  local leaves = now + window + 1
  local score = tonumber(redis.call('ZSCORE', calls, ticket) or 0)
  if score > leaves then redis.call('ZADD', calls, leaves, ticket) end
end
local function tellHead()
  local head = redis.call('ZRANGE', line, 0, 0)[1]
  if head then redis.call('PUBLISH', ARGV[1], head) end
end`;

/**
 * ARGV: ticket, requests, concurrency, window ms, life of a slot ms, life of a place in the line ms, 1 when urgent.
 * Returns granted (1 or 0), why, ms until there may be room (-1: nobody knows), number of pods (KEYS[6]).
 *
 * A request counts until a window after its answer: whatever its way took, the host has counted it in between, so that
 * no window of the host's can hold more than the limit. One whose owner died counts until its life and a window ended.
 */
export const ASK = `${COMMON}
local ticket, requests, concurrency = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local window, life, patience = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
redis.call('ZREMRANGEBYSCORE', calls, '-inf', now)
redis.call('ZREMRANGEBYSCORE', busy, '-inf', now)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', awake, '-inf', now)) do
  redis.call('ZREM', line, gone)
  redis.call('ZREM', awake, gone)
end
if not redis.call('ZSCORE', line, ticket) then
  -- The urgent ones stand before all others, in their own order.
  redis.call('ZADD', line, ARGV[8] == '1' and now - 1e12 or now, ticket)
end
redis.call('ZADD', awake, now + patience, ticket)
local rank = redis.call('ZRANK', line, ticket)

local known = redis.call('HMGET', told, 'paused_until', 'limit', 'left', 'reset')
local learned, reset = tonumber(known[2]), tonumber(known[4]) or 0
if learned and (requests == 0 or learned < requests) then requests = learned end
local why, untilMs = '', 0
-- Whoever is told that nothing is left has been asked for quiet.
local quietUntil = tonumber(known[1]) or 0
if reset > now and rank >= tonumber(known[3]) then quietUntil = math.max(quietUntil, reset) end
if quietUntil > now then
  why, untilMs = 'paused', quietUntil
else
  local over = rank + redis.call('ZCARD', calls) - requests
  if requests > 0 and over >= 0 then
    local leaver = redis.call('ZRANGE', calls, over, over, 'WITHSCORES')
    why, untilMs = 'rate', tonumber(leaver[2]) or now + window
  elseif concurrency > 0 and rank + redis.call('ZCARD', busy) >= concurrency then
    why = 'concurrency'
  end
end
local podCount = redis.call('ZCOUNT', KEYS[6], '(' .. now, '+inf')
if why ~= '' then
  keep(line, patience)
  keep(awake, patience)
  return {0, why, untilMs > 0 and untilMs - now or -1, podCount}
end
redis.call('ZREM', line, ticket)
redis.call('ZREM', awake, ticket)
redis.call('ZADD', calls, now + life + window, ticket)
redis.call('ZADD', busy, now + life, ticket)
keep(calls, life + window)
keep(busy, life)
if reset > now then redis.call('HINCRBY', told, 'left', -1) end
tellHead()
return {1, '', 0, podCount}`;

/** ARGV: ticket. */
export const LEAVE = `${COMMON}
redis.call('ZREM', awake, ARGV[2])
if redis.call('ZREM', line, ARGV[2]) == 1 then tellHead() end
return 1`;

/**
 * ARGV: ticket, window ms, then of the host's words limit, remaining, ms until reset (-1: not said), and for how many
 * ms a limit is believed. Of two answers about one window (their ends lie within a second) the stricter counts; which
 * of the unanswered requests it has counted is not known, so it is taken to have counted none.
 */
export const ANSWERED = `${COMMON}
local ticket, window = ARGV[2], tonumber(ARGV[3])
local limit, remaining, untilReset = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
answer(ticket, window)
if limit >= 0 then
  redis.call('HSET', told, 'limit', math.max(1, limit))
  keep(told, tonumber(ARGV[7]))
end
if remaining >= 0 and untilReset > 0 then
  local left = remaining - redis.call('ZCOUNT', calls, '(' .. now + window + 1, '+inf')
  local known = redis.call('HMGET', told, 'left', 'reset')
  local knownReset = tonumber(known[2]) or 0
  local reset = now + untilReset
  if knownReset > now and math.abs(knownReset - reset) <= 1000 then
    left, reset = math.min(left, tonumber(known[1])), math.max(reset, knownReset)
  end
  redis.call('HSET', told, 'left', left, 'reset', reset)
  keep(told, untilReset)
end
return 1`;

/** ARGV: ticket, window ms. What was never answered may have been counted until now. */
export const RELEASE = `${COMMON}
local ticket, window = ARGV[2], tonumber(ARGV[3])
answer(ticket, window)
redis.call('ZREM', busy, ticket)
tellHead()
return 1`;

/** ARGV: ms. */
export const PAUSE = `${COMMON}
local pausedUntil = now + tonumber(ARGV[2])
if pausedUntil > (tonumber(redis.call('HGET', told, 'paused_until')) or 0) then
  redis.call('HSET', told, 'paused_until', pausedUntil)
  keep(told, tonumber(ARGV[2]))
end
return 1`;

/** ARGV: window ms, life of a slot ms, tickets. What has ended meanwhile stays ended. */
export const RENEW = `${COMMON}
local window, life = tonumber(ARGV[2]), tonumber(ARGV[3])
for index = 4, #ARGV do
  local ticket = ARGV[index]
  redis.call('ZADD', busy, 'XX', now + life, ticket)
  local score = tonumber(redis.call('ZSCORE', calls, ticket) or 0)
  if score > now + window + 1 then redis.call('ZADD', calls, now + life + window, ticket) end
end
keep(calls, life + window)
keep(busy, life)
return 1`;

/** KEYS: pods. ARGV: this one, ms that it is believed to live. Returns their number. */
export const ANNOUNCE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`;
