import { useState } from 'preact/hooks';

const STORAGE_KEY = 'repotide.density';

/** Applies the density that this browser chose last. */
export function restoreDensity(): void {
  apply(localStorage.getItem(STORAGE_KEY) === 'compact');
}

/** Switches between comfortable and compact rows. */
export function DensitySwitch() {
  const [isCompact, setIsCompact] = useState(document.documentElement.dataset.density === 'compact');
  return (
    <button
      type="button"
      class="quiet"
      aria-label="Compact rows"
      title="Compact rows"
      aria-pressed={isCompact}
      onClick={() => {
        localStorage.setItem(STORAGE_KEY, isCompact ? 'comfortable' : 'compact');
        apply(!isCompact);
        setIsCompact(!isCompact);
      }}
    >
      <span aria-hidden="true">{isCompact ? '☰' : '☷'}</span>
    </button>
  );
}

function apply(isCompact: boolean): void {
  document.documentElement.dataset.density = isCompact ? 'compact' : 'comfortable';
}
