/** A project at a host, and the credential that may ask about its members; null: the default one. */
export interface CheckedProject {
  baseUrl: string;
  projectId: number;
  credentialId: string | null;
}

/** What a host says about the rights of its users. */
export abstract class CodeRights {
  /**
   * Whether a user of the host may read the code of a project now. Every call asks the host; repeating is safe.
   * @throws RepotideError when the host does not answer or refuses the credential, which proves nothing.
   */
  abstract mayReadCode(userId: number, project: CheckedProject, signal: AbortSignal): Promise<boolean>;
}
