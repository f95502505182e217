import { type ProgressTask } from '@core/domain';

type Wire = Record<string, unknown>;

/** The stored form: snake_case and ISO 8601, readable with `GET`. */
export function taskToJson(task: ProgressTask): string {
  const wire: Wire = {};
  for (const [key, value] of Object.entries(task)) wire[toSnakeCase(key)] = value as unknown;
  return JSON.stringify(wire);
}

/** Null for values of another version of this program, or set by hand. */
export function taskFromJson(text: string | null): ProgressTask | null {
  if (text === null) return null;
  try {
    const wire = JSON.parse(text) as Wire;
    if (typeof wire['task_id'] !== 'string') return null;
    // A version without these may have stored it.
    const task: Wire = { stages: [], filesPerSecond: null, etaSeconds: null };
    for (const [key, value] of Object.entries(wire)) task[toCamelCase(key)] = value;
    task['createdAt'] = new Date(String(wire['created_at']));
    task['updatedAt'] = new Date(String(wire['updated_at']));
    return task as unknown as ProgressTask;
  } catch {
    return null;
  }
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
