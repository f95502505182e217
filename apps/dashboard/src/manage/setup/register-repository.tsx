import { Select, TextField } from '../../parts/forms.js';
import { linkTo } from '../../state/route.js';
import { CredentialField, HostField, LinesField, linesOf } from '../forms/fields.js';
import { Form, type Values } from '../forms/form.js';

/** Registers one repository and starts its first sync. */
export function RegisterRepository() {
  return (
    <>
      <p>
        <a href={linkTo('repositories')}>← Repositories</a>
      </p>
      <h1>Add a repository</h1>
      <div class="panel">
        <Form
          submitLabel="Add the repository"
          done="Repository added."
          act={async (api, values) => {
            const repository = await api.post('/api/v1/repositories', { body: bodyOf(values) });
            const { id } = repository;
            if (values.start === 'now')
              await api.post('/api/v1/repositories/{id}/sync', { path: { id }, body: {} });
            return repository;
          }}
          onDone={({ id }) => {
            location.hash = linkTo(`repositories/${id}`);
          }}
        >
          <TextField
            label="Project or URL"
            name="project_path"
            required
            placeholder="group/project"
            hint="The full path of a project of GitLab, or the URL of a repository at any git host."
          />
          <TextField
            label="Branch"
            name="branch"
            placeholder="default branch"
            hint="Empty: the default branch of the project."
          />
          <CredentialField />
          <details>
            <summary>Which files, and where</summary>
            <HostField />
            <TextField label="Collection" name="collection_name" placeholder="repotide" />
            <LinesField label="Only files (one glob a line)" name="include_globs" placeholder="src/**" />
            <LinesField label="Leave out (one glob a line)" name="exclude_globs" placeholder="**/*.snap" />
          </details>
          <Select
            label="First sync"
            name="start"
            value="now"
            options={[
              ['now', 'now'],
              ['later', 'later: on request, on a push or by a schedule'],
            ]}
          />
        </Form>
      </div>
    </>
  );
}

/** Empty fields are left out, so that the service's defaults apply. */
function bodyOf(values: Values) {
  const { project_path = '', branch, base_url, collection_name, credential_id } = values;
  const project = /^[a-z]+:\/\//i.test(project_path) ? { git_url: project_path } : { project_path };
  return {
    ...project,
    branch: branch || undefined,
    base_url: base_url || undefined,
    collection_name: collection_name || undefined,
    credential_id: credential_id || undefined,
    include_globs: linesOf(values, 'include_globs'),
    exclude_globs: linesOf(values, 'exclude_globs'),
  };
}
