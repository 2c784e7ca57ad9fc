"""Files: attachments of messages, files that models make, and knowledge files of agents (SPEC 6.5, 4.10).

Imports admin_config, security and tenants. agents, artifacts and chat call these modules:

- `services`, `selectors`: writes and reads of files; `models` and `kinds` describe them.
- `inline_files`, `generated_files`: files from data URLs and from models; `api`: uploads, and the rest of the REST API.
- `store`: the directory or bucket that the bytes are in.
- `sniffing`, `names`, `signed_urls`: detected types, safe names and signed URLs.
- `storage`, `contents`, `quotas`: the bytes of files, with a picture's clean copy, and how many may be stored.
- `pictures`, a child process: pictures drawn anew; `scanning`: the malware scanner.
- `extraction`, with the child process `readers`: the text of documents.
- `knowledge`, with the child process `line_search`: knowledge files and their search.
- `tasks`: texts that are read, readings that were lost, files that no message includes.
- `urls`, `admin`, `errors`, `missing_text`: Django's entry points, errors, and why a file has no text.
"""
