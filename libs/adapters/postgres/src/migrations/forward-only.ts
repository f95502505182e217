/**
 * Migrations go forward only: going back would drop what later versions wrote. To return to an older release,
 * restore the backup that was taken before the upgrade.
 */
export function refuseDown(): Promise<void> {
  return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
}
