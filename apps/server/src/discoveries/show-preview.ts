import { type DiscoveryPreview } from '@core/discovery';
import { present } from '../http/model.js';
import { type DiscoveryPreviewDto, MissingRepositoryDto, WantedRepositoryDto } from './discovery.schema.js';

/** A preview in the form that the API and the command line show. */
export function showPreview(preview: DiscoveryPreview, graceHours: number): DiscoveryPreviewDto {
  const retiresAt = (since: Date | null) => since && new Date(since.getTime() + graceHours * 3_600_000);
  return {
    projects_listed: preview.projectsListed,
    add: preview.add.map((wanted) => present(WantedRepositoryDto, wanted)),
    kept: preview.kept,
    retire: preview.missing.map((missing) =>
      present(MissingRepositoryDto, missing, {
        repository_id: missing.id,
        retires_at: retiresAt(missing.missingSince),
      }),
    ),
    skipped: preview.skipped,
  };
}
