{{/* Labels of the trial's objects. Takes root and name. */}}
{{- define "repotide.trialLabels" -}}
{{ include "repotide.trialSelector" . }}
{{ include "repotide.commonLabels" .root }}
not-for-production: 'true'
{{- end }}

{{- define "repotide.trialSelector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: trial
{{- end }}
