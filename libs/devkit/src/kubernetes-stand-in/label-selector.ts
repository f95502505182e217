import { Refusal } from './status.js';

export type Labels = Readonly<Record<string, string>>;

const REQUIREMENT =
  /^\s*(?:(?<absent>!)\s*(?<without>[\w./-]+)|(?<key>[\w./-]+)(?:\s*(?<sign>==|=|!=)\s*(?<value>[\w.-]*)|\s+(?<set>in|notin)\s*\((?<values>[^)]*)\))?)\s*$/;

/** Parses a label selector as the API does: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`; all parts must match. */
export function parseLabelSelector(selector: string): (labels: Labels) => boolean {
  const requirements = selector
    .split(/,(?![^(]*\))/)
    .filter((part) => part.trim() !== '')
    .map(parseRequirement);
  return (labels) => requirements.every((matches) => matches(labels));
}

function parseRequirement(text: string): (labels: Labels) => boolean {
  const found = REQUIREMENT.exec(text)?.groups;
  if (found === undefined) throw new Refusal(400, `unable to parse requirement: found '${text.trim()}'`);
  const { absent, without = '', key = '', sign, value = '', set, values = '' } = found;
  if (absent !== undefined) return (labels) => !(without in labels);
  if (sign === '!=') return (labels) => labels[key] !== value;
  if (sign !== undefined) return (labels) => labels[key] === value;
  const listed = values.split(',').map((part) => part.trim());
  if (set === 'notin') return (labels) => !(key in labels) || !listed.includes(labels[key] ?? '');
  if (set === 'in') return (labels) => key in labels && listed.includes(labels[key] ?? '');
  return (labels) => key in labels;
}
