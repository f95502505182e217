export function ProgressBar({ label, percent }: { label: string; percent: number }) {
  return (
    <div class="progress">
      <progress max={100} value={percent} aria-label={label} />
      <span class="number">{`${Math.round(percent)} %`}</span>
    </div>
  );
}
