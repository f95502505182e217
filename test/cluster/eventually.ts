/** Repeats the look until it returns something else than null. @throws Error that says what was awaited, and the last failure. */
export async function eventually<T>(
  what: string,
  seconds: number,
  look: () => Promise<T | null>,
  everyMs = 500,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  let problem: unknown = null;
  while (Date.now() < deadline) {
    try {
      const found = await look();
      if (found !== null) return found;
      problem = null;
    } catch (error) {
      problem = error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  const last = problem instanceof Error ? ` The last attempt failed: ${problem.message}` : '';
  throw new Error(`Not within ${seconds} s: ${what}.${last}`);
}
