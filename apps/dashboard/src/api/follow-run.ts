import { EventParser } from './event-parser.js';
import { type Schemas } from './schema.js';

type Progress = Schemas['ProgressDto'];

/** Whether the run has ended, so that no progress follows. */
export function isOver({ status }: Progress): boolean {
  return status === 'completed' || status === 'error';
}

/** What a follower of a run does differently in a browser and on a command line. */
export interface Follower {
  /**
   * Opens the stream of events, after the event with this id.
   * @returns null: no event follows. @throws when the stream cannot be opened.
   */
  open: (lastEventId: string | null) => Promise<ReadableStream<Uint8Array> | null>;
  onProgress: (progress: Progress) => void;
  /** Throws what ends the waiting; after other errors the stream is opened again. */
  check: (error: unknown, failures: number) => void;
  /** Waits before the stream is opened again. */
  pause: () => Promise<void>;
}

/** Follows a run until it ends, and opens the stream again when it breaks. */
export async function followRun({ open, onProgress, check, pause }: Follower): Promise<void> {
  let lastEventId: string | null = null;
  let isEnded = false;
  for (let failures = 0; ;) {
    try {
      const stream = await open(lastEventId);
      if (stream === null) return;
      const parser = new EventParser();
      const decoder = new TextDecoder();
      const reader = stream.getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        for (const event of parser.push(decoder.decode(piece.value, { stream: true }))) {
          // The other events report dropped events; the next progress event replaces those.
          if (event.name !== 'progress') continue;
          const progress = JSON.parse(event.data) as Progress;
          lastEventId = event.id ?? lastEventId;
          onProgress(progress);
          isEnded = isOver(progress);
        }
      }
      if (isEnded) return;
      failures = 0;
    } catch (error) {
      check(error, ++failures);
    }
    await pause();
  }
}
