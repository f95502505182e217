import { type Service } from './installation.js';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The current metrics of a service, as Prometheus scrapes them. */
export async function scrape({ url }: Pick<Service, 'url'>): Promise<Sample[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:{(.*)})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label!, text!]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** The sum over all series of a metric with these labels; 0 when there is none. */
export async function metricOf(
  service: Pick<Service, 'url'>,
  metric: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const fits = (sample: Sample): boolean =>
    sample.name === metric &&
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  return (await scrape(service)).filter(fits).reduce((sum, { value }) => sum + value, 0);
}
