# Grades what is handed in as it comes, as long as the hub runs. Into jupyterhub_config.py, below
# the other services, with your account and folder. The hub starts it again when it ends.
c.JupyterHub.services.append(  # noqa: F821
    {
        "name": "attention-serve",
        "user": "attention",
        "cwd": "/home/attention/course",
        "command": ["/opt/hub/bin/autograder", "serve"],
    }
)
