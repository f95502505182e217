const STEPS = [1, 2, 2.5, 5, 10];

/** Round values from 0 up to at least the highest, about `wanted` many; whole numbers when `highest` is one. */
export function axisTicks(highest: number, wanted = 4): number[] {
  if (highest <= 0) return [0, 1];
  const rough = highest / wanted;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const nice = (STEPS.find((step) => step * magnitude >= rough) ?? 10) * magnitude;
  const step = Number.isInteger(highest) ? Math.max(1, Math.ceil(nice)) : nice;
  return Array.from({ length: Math.ceil(highest / step - 1e-9) + 1 }, (_, index) => index * step);
}

/** @returns n, where drawing every n-th label keeps labels apart. */
export function labelStride(count: number, maxLabels: number): number {
  return Math.max(1, Math.ceil(count / maxLabels));
}

/** `1.2k`, `34M`: short enough for an axis. */
export function shortNumber(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}
