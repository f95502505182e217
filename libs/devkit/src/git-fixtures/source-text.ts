import { type Random } from './random.js';

const VERBS = 'load store merge parse send check count split route render cache retry close open sign'.split(
  ' ',
);
const NOUNS =
  'order invoice customer session report ledger queue batch token window account payment shipment device sensor'.split(
    ' ',
  );
const ADJECTIVES = 'pending daily remote local stale signed empty nested shared partial recent failed'.split(
  ' ',
);
const REASONS = [
  'the upstream service repeats a message after a timeout',
  'the totals are kept in cents, so that nothing is rounded twice',
  'an empty answer is not an error here',
  'callers hold the lock already',
  'the first entry is the header',
  'old clients still send the short form',
];

interface Names {
  verb: string;
  noun: string;
  adjective: string;
  limit: number;
  reason: string;
}

interface Language {
  extension: string;
  /** Relative frequency of the language. */
  weight: number;
  /** Generates one function, section or table of the language. */
  block(names: Names): string;
}

const LANGUAGES: readonly Language[] = [
  { extension: 'ts', weight: 30, block: typescript },
  { extension: 'py', weight: 20, block: python },
  { extension: 'go', weight: 15, block: go },
  { extension: 'java', weight: 12, block: java },
  { extension: 'rs', weight: 8, block: rust },
  { extension: 'sql', weight: 4, block: sql },
  { extension: 'yaml', weight: 5, block: yaml },
  { extension: 'md', weight: 6, block: markdown },
];

const WEIGHTED = LANGUAGES.flatMap((language) => Array.from({ length: language.weight }, () => language));

/** A file of plausible source code, cut to exactly `minBytes` bytes. ASCII only. */
export function sourceFile(
  random: Random,
  number: number,
  minBytes: number,
): { path: string; content: string } {
  const language = random.pick(WEIGHTED);
  const folder = [random.pick(ADJECTIVES), random.pick(NOUNS)].slice(0, 1 + random.below(2)).join('/');
  const path = `src/${random.pick(NOUNS)}/${folder}/${random.pick(VERBS)}_${number}.${language.extension}`;
  const blocks: string[] = [];
  for (let bytes = 0; bytes < minBytes;) {
    const block = language.block(namesFrom(random));
    blocks.push(block);
    bytes += block.length;
  }
  return { path, content: blocks.join('').slice(0, minBytes) };
}

function namesFrom(random: Random): Names {
  return {
    verb: random.pick(VERBS),
    noun: random.pick(NOUNS),
    adjective: random.pick(ADJECTIVES),
    limit: random.below(5000),
    reason: random.pick(REASONS),
  };
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function typescript({ verb, noun, adjective, limit, reason }: Names): string {
  const [subject, state] = [capital(noun), capital(adjective)];
  return `/** Works on each ${adjective} ${noun}; ${reason}. */
export async function ${verb}${state}${subject}(items: ${subject}[], limit = ${limit}): Promise<number> {
  let ${verb}Count = 0;
  for (const item of items.slice(0, limit)) {
    if (item.state !== '${adjective}') continue;
    await this.${noun}Store.${verb}(item.id, { reason: '${adjective}_${noun}' });
    ${verb}Count += 1;
  }
  return ${verb}Count;
}

`;
}

function python({ verb, noun, adjective, limit, reason }: Names): string {
  return `def ${verb}_${adjective}_${noun}(items, limit=${limit}):
    """Yield every ${adjective} ${noun}; ${reason}."""
    for position, item in enumerate(items):
        if position >= limit:
            logger.warning("stopped after %d ${noun} entries", limit)
            break
        if item.state == "${adjective}":
            yield item.${verb}(position)


`;
}

function go({ verb, noun, adjective, limit, reason }: Names): string {
  const [action, subject, state] = [capital(verb), capital(noun), capital(adjective)];
  return `// ${action}${state}${subject} stops at ${limit}: ${reason}.
func (s *${subject}Service) ${action}${state}${subject}(ctx context.Context, items []${subject}) (int, error) {
	done := 0
	for _, item := range items {
		if err := ctx.Err(); err != nil || done >= ${limit} {
			return done, err
		}
		if item.State == "${adjective}" {
			done++
		}
	}
	return done, nil
}

`;
}

function java({ verb, noun, adjective, limit, reason }: Names): string {
  const [subject, state] = [capital(noun), capital(adjective)];
  return `    /** Note that ${reason}. */
    public List<${subject}> ${verb}${state}${subject}(Collection<${subject}> items) {
        return items.stream()
            .filter(item -> item.getState() == State.${adjective.toUpperCase()})
            .limit(${limit})
            .map(item -> repository.${verb}(item.getId()))
            .collect(Collectors.toList());
    }

`;
}

function rust({ verb, noun, adjective, limit, reason }: Names): string {
  return `/// Note that ${reason}.
pub fn ${verb}_${adjective}_${noun}(items: &[${capital(noun)}]) -> Result<usize, Error> {
    items
        .iter()
        .filter(|item| item.state == State::${capital(adjective)})
        .take(${limit})
        .try_fold(0, |done, item| item.${verb}().map(|_| done + 1))
}

`;
}

function sql({ verb, noun, adjective, limit, reason }: Names): string {
  return `-- ${capital(verb)}: ${reason}.
CREATE VIEW ${adjective}_${noun}_${verb} AS
SELECT id, state, updated_at, total_cents
FROM ${noun}s
WHERE state = '${adjective}' AND total_cents > ${limit}
ORDER BY updated_at DESC;

`;
}

function yaml({ verb, noun, adjective, limit, reason }: Names): string {
  return `# ${capital(noun)}: ${reason}.
- name: ${verb}-${adjective}-${noun}
  schedule: "*/${1 + (limit % 59)} * * * *"
  limits: { items: ${limit}, state: ${adjective} }

`;
}

function markdown({ verb, noun, adjective, limit, reason }: Names): string {
  return `## How to ${verb} a ${adjective} ${noun}

Keep in mind that ${reason}. No more than ${limit} entries are taken at once;
the rest waits for the next run of the ${noun} worker.

`;
}
