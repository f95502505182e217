import { type ProgressTask } from '@core/domain';

type Wire = Record<string, unknown>;

/** The task as stored: snake_case, times in ISO 8601, so that people can read it with `GET`. */
export function taskToJson(task: ProgressTask): string {
  const wire: Wire = {};
  for (const [key, value] of Object.entries(task)) wire[toSnakeCase(key)] = value as unknown;
  return JSON.stringify(wire);
}

/** Null for what another version of this program, or somebody by hand, may have written. */
export function taskFromJson(text: string | null): ProgressTask | null {
  if (text === null) return null;
  try {
    const wire = JSON.parse(text) as Wire;
    if (typeof wire['task_id'] !== 'string') return null;
    const task: Wire = {};
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
