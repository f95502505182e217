export interface StepResult {
  step: string;
  promise: string;
  outcome: 'passed' | 'failed' | 'not run';
  seconds: number;
  /** What was seen, or why it failed. */
  detail: string;
}

export interface ClusterReport {
  kubernetes: string;
  nodes: number;
  image: string;
  storage: string;
  formerChart: string | null;
  steps: StepResult[];
  isPassed: boolean;
}

export function render(report: ClusterReport): string {
  const { kubernetes, nodes, image, storage, formerChart, steps, isPassed } = report;
  const head = [
    `Kubernetes ${kubernetes}, ${nodes} node(s); image ${image}; ${storage}`,
    ...(formerChart === null ? [] : [`upgraded from ${formerChart}`]),
  ];
  const width = Math.max(...steps.map(({ step }) => step.length));
  const rows = steps.map(
    ({ step, outcome, seconds, detail }) =>
      `${outcome.padEnd(7)} ${step.padEnd(width)} ${seconds.toFixed(0).padStart(4)} s  ${detail}`,
  );
  return `${[...head, ...rows, isPassed ? 'Every step passed.' : 'A step failed.'].join('\n')}\n`;
}
