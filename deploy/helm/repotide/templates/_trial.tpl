{{/* Labels of the trial's objects. Takes root and name. */}}
{{- define "repotide.trialLabels" -}}
{{- include "repotide.labelsWith" (dict "root" .root "own" (include "repotide.trialOwnLabels" . | fromYaml)) }}
{{- end }}

{{/* The same for its pods, without versions. */}}
{{- define "repotide.trialPodLabels" -}}
{{- include "repotide.podLabels" (dict "root" .root "own" (include "repotide.trialOwnLabels" . | fromYaml)) }}
{{- end }}

{{- define "repotide.trialOwnLabels" -}}
{{ include "repotide.trialSelector" . }}
not-for-production: 'true'
{{- end }}

{{- define "repotide.trialSelector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: trial
{{- end }}
