/** Makes all schedulers claim now, after schedules changed. A lost call costs one poll interval. */
export abstract class ScheduleWaker {
  abstract wake(): void;
}
